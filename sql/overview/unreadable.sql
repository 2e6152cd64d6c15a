-- Which files cannot be read, and why? The last that was looked at first.
select path, problem, hashed_at as at from files where problem is not null order by hashed_at desc, path
