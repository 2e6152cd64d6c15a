-- How many events were there in the last ten minutes, calls and prompts among them?
select count(*)::int as n from events where ts > loam_now() - interval '10 minutes'
