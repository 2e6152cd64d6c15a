-- Which day is it in the owner's zone?
select to_char(loam_now() at time zone owner_zone(), 'YYYY-MM-DD') as today, owner_zone() as zone
