import { NOBODY } from '../../kernel/kernel.ts'
import { createNote } from '../../notes/notes.ts'
import { findPlace, openForWriting, scopeAt, wireProject } from '../../projects/projects.ts'
import { defineEffect } from './effect.ts'

/** What the sessions of a month found becomes a note of their project. */
export const digest = defineEffect({
  kind: 'digest',
  makes: true,
  async apply({ kernel }, _by, { id, project, title, body, model }) {
    const place = await findPlace(kernel.db, project)
    // A session may be older than the row of its project, as after a lost database.
    await openForWriting(kernel, place, project)
    const target = { project, scope: await scopeAt(kernel.db, place) }
    const draft = { title, body, description: 'Monthly session digest' }
    const made = ['created-by:gardener', 'digest']
    // Who decided on it is no author, and the model of that session wrote no word of it.
    return createNote(kernel, { ...NOBODY, model }, target, draft, { numbered: true, id, made })
  },
  told: ({ title, project }, { id }) => ({ note_id: id, title, project: wireProject(project) }),
})
