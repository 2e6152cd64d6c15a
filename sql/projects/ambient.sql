-- Where do the agents work whose clients speak through hooks only? See ambient_places().
select project, isolation, session, model from ambient_places()
