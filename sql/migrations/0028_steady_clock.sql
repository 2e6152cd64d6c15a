-- The database's clock may be set by hand or by a time server. loam_now() goes on by elapsed time all the same:
-- what was added to the clock so far, and where elapsed time was anchored last.
alter table clock
  add correction interval not null default '0',
  add moved bigint not null default 0,        -- how often the correction was changed
  add boot text,                              -- which start of which machine; null: none that can be known again
  add up_ms double precision,                 -- of that machine, since that start
  add steady_at timestamptz;                  -- steady_now() at that moment

-- The database's own clock, as it is set.
create function wall_clock() returns timestamptz language sql volatile parallel safe as
$$ select clock_timestamp() $$;

-- The clock with what was put right, without what tests add.
create function steady_now() returns timestamptz language plpgsql volatile parallel safe as
$$
begin
  return wall_clock() + (select correction from clock);
end
$$;

create or replace function loam_now() returns timestamptz language plpgsql volatile parallel safe as
$$
begin
  return date_trunc('milliseconds', wall_clock() + (select correction + shift from clock));
end
$$;
