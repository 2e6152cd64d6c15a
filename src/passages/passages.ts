/**
 * Passages: what recall searches. A note is cut into many, anything else is one.
 *
 * This file is the room's door. The rooms that own items call it inside their own transactions. The
 * text stays with its item; this room keeps only its index.
 */
export { indexQueued, queueStale, updateStatistics } from './background.ts'
export { dropItem, indexingOf, indexItem } from './indexing.ts'
export { ITEM_KINDS, type Item, type ItemKind } from './item.ts'
export { lexemesOf, queueUnindexed } from './store.ts'
export { textsOf } from './texts.ts'
export {
  asksTooMuch,
  countForms,
  formsAsked,
  MOST_ASKED,
  UNSEEN_SIGNS,
  weightIn,
  wordsAsked,
  wordsOf,
  wordsOfQuestion,
  wordsWritten,
} from './words.ts'
