-- Gives :task to :session, or returns no row; see claim_task.
select (c.given).id, (c.given).project, (c.given).title, (c.given).body, (c.given).status,
  (c.given).created_by, (c.given).plan, (c.given).claimed_by, (c.given).lease_expires_at, (c.given).paths,
  (c.given).favorite, (c.given).claim_token, c.depends_on, c.renewed, c.prior_holder,
  c.told as transition
from claim_task(:task, :caller, :level, :session, :claim_token, :token, :seconds, :paths, :event) c
