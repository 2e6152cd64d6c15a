-- Long names used to be cut, and now end in a hash. A name as long as a cut could leave may be what was left of a
-- longer one, by which it is then found too; uncut: it was given as it stands, and no longer name means it.
alter table notes add column uncut boolean not null default false;
alter table memories add column uncut boolean not null default false;
