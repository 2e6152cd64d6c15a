import { capture_url } from '../capture/tools/capture_url.ts'
import { favorite_set } from '../favorites/tools/favorite_set.ts'
import { gardener_apply } from '../gardener/tools/gardener_apply.ts'
import { gardener_proposals } from '../gardener/tools/gardener_proposals.ts'
import { gardener_request } from '../gardener/tools/gardener_request.ts'
import { gardener_split } from '../gardener/tools/gardener_split.ts'
import { memory_append } from '../memories/tools/memory_append.ts'
import { memory_delete } from '../memories/tools/memory_delete.ts'
import { memory_edit } from '../memories/tools/memory_edit.ts'
import { memory_read } from '../memories/tools/memory_read.ts'
import { memory_write } from '../memories/tools/memory_write.ts'
import { notes_append } from '../notes/tools/notes_append.ts'
import { notes_create } from '../notes/tools/notes_create.ts'
import { notes_delete } from '../notes/tools/notes_delete.ts'
import { notes_edit } from '../notes/tools/notes_edit.ts'
import { notes_read } from '../notes/tools/notes_read.ts'
import { notes_update } from '../notes/tools/notes_update.ts'
import { project_create } from '../projects/tools/project_create.ts'
import { project_list } from '../projects/tools/project_list.ts'
import { recall } from '../recall/tools/recall.ts'
import { session_end } from '../sessions/tools/session_end.ts'
import { session_start } from '../sessions/tools/session_start.ts'
import { session_update } from '../sessions/tools/session_update.ts'
import { tasks_add } from '../tasks/tools/tasks_add.ts'
import { tasks_claim } from '../tasks/tools/tasks_claim.ts'
import { tasks_list } from '../tasks/tools/tasks_list.ts'
import { tasks_ready } from '../tasks/tools/tasks_ready.ts'
import { tasks_release } from '../tasks/tools/tasks_release.ts'
import { tasks_update } from '../tasks/tools/tasks_update.ts'
import { lab_open } from '../trials/tools/lab_open.ts'
import { trial_query } from '../trials/tools/trial_query.ts'
import { trial_record } from '../trials/tools/trial_record.ts'
import { usage_summary } from '../usage/tools/usage_summary.ts'
import type { Tool } from './tool.ts'

/** Every tool there is, each in a file of its own name. */
export const catalog: readonly Tool[] = [
  capture_url,
  favorite_set,
  gardener_apply,
  gardener_proposals,
  gardener_request,
  gardener_split,
  lab_open,
  memory_append,
  memory_delete,
  memory_edit,
  memory_read,
  memory_write,
  notes_append,
  notes_create,
  notes_delete,
  notes_edit,
  notes_read,
  notes_update,
  project_create,
  project_list,
  recall,
  session_end,
  session_start,
  session_update,
  tasks_add,
  tasks_claim,
  tasks_list,
  tasks_ready,
  tasks_release,
  tasks_update,
  trial_query,
  trial_record,
  usage_summary,
]
