-- When the hooks of a client last came, whatever they said; written once a minute at most.
create table hooks_heard (
  client text collate "C" primary key,
  at timestamptz(3) not null
);
insert into hooks_heard (client, at)
select external_client, max(updated_at) from sessions where ambient and external_client <> '' group by 1;
