-- Was there no session yet?
select not exists (select from session_kept) as first
