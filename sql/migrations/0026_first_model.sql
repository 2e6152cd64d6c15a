-- The model with which a session began, once it is known. Some clients say it only when a turn is over: what
-- was written before is by this one, also when the session goes on with another.
alter table sessions add first_model text not null default '';
update sessions set first_model = model;
