-- How many prompts matched nothing since :since, how many only what had been told before, and how many searches found
-- nothing?
with
  kept as (
    select prompts, told, searches from miss_totals
    where unit = 'day' and (:since::timestamptz is null or since >= next_day(:since, 'UTC'))
    union all
    select prompts, told, searches from miss_totals
    where unit = 'hour' and since >= next_hour(:since, 'UTC') and since < next_day(:since, 'UTC')
    union all
    select count(*) filter (where is_missed(kind, payload)),
      count(*) filter (where kind = 'hook.prompt' and not is_missed(kind, payload)), count(*) filter (where kind = 'recall.miss')
    from events
    where transport and kind in ('hook.prompt', 'recall.miss') and ts >= :since and ts < next_hour(:since, 'UTC')
  )
select coalesce(sum(prompts), 0)::float8 as prompts, coalesce(sum(told), 0)::float8 as told,
  coalesce(sum(searches), 0)::float8 as searches
from kept
