/**
 * Documents: markdown files that agents write, one item each, with the rows that follow from them.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in documents/. A
 * room declares its kind (kind.ts) and adds the rules that are its own. A change goes through
 * change.ts, a new document through write.ts; lock.ts makes one write of several documents. A tool's call to
 * read goes through asked.ts and read.ts; part.ts and several.ts say how much of it one answer holds.
 */
export { readAsked } from './asked.ts'
export {
  changeDocument,
  changeLocked,
  deleteDocument,
  nameAt,
  nameTaken,
  starDocument,
  type Change,
  type Destination,
} from './change.ts'
export { changeSeveral } from './change-several.ts'
export { appendToDocument, editDocument } from './edit.ts'
export {
  checkSize,
  documentPath,
  parseDocument,
  renderDocument,
  splitPath,
  understandFound,
} from './file.ts'
export { dropDocument, fileKindOf } from './index.ts'
export { defineDocument, type Document, type DocumentKind, type Stored } from './kind.ts'
export { learnedModel } from './learned-model.ts'
export { namedTarget, readReference } from './named.ts'
export { answerOf, asksPart, NextFields, PartFields, type Asked } from './part.ts'
export { missing, reachDocument, spelled, type Target } from './reach.ts'
export { readDocument } from './read.ts'
export { MissingFields } from './several.ts'
export { hashAfter, refuseStale } from './stale.ts'
export {
  findDocument,
  ownerOfPath,
  rowOf,
  seekPlaced,
  standingName,
  type Address,
  type Found,
  type Placed,
} from './store.ts'
export { patchTags, type TagPatch } from './tags.ts'
export { writeDocument, type Beside, type Standing } from './write.ts'
