-- What a recall recorded beside its call, which says the same. The feed leaves it out, and counts without it: by an
-- index, since the payload tells and is long.
create function in_its_call(kind text, payload jsonb) returns boolean language sql immutable parallel safe as
$$
  select kind = 'retrieval.injected'
    and coalesce(payload ->> 'source' in ('recall', 'recall-browse', 'recall-explain'), false)
$$;
create index events_acts_in_its_call on events_acts (ts) include (id) where in_its_call(kind, payload);
