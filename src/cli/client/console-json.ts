/** What commands rely on in the console's JSON. A test holds the console to it. */
import Type from 'typebox'

const text = Type.String()

/** `GET /console/sessions` */
export const SESSIONS_JSON = Type.Object({
  sessions: Type.Array(
    Type.Object({ id: text, name: text, project: text, status: text, updated: text }),
  ),
})

/** `POST /console/tasks/<id>/release` */
export const RELEASED_JSON = Type.Object({
  id: text,
  status: text,
  title: text,
})
