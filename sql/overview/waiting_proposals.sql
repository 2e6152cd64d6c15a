-- How many proposals of the gardener wait, and since when does the oldest?
select count(*)::int as waiting, min(created_at) as since from proposals where status = 'pending' having count(*) > 0
