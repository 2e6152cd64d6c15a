-- These memories were shown, the nth to the agent of the nth session. See tell_agents.
select tell_agents(:sessions, :ids)
