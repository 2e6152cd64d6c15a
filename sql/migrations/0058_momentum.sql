-- How much there has ever been in a project, counted while momentum is on and anew when it is switched on.
create table momentum_counts (
  project text collate "C" not null,          -- '' is the global scope
  what text collate "C" not null check (what in ('memories', 'recalls', 'supersessions', 'plans')),
  n bigint not null,
  primary key (project, what)
);
