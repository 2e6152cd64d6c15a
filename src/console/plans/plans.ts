/** What the owner may do to a plan. Plans have no pages yet. */
import { defineScreen } from '../screen.ts'
import { approve } from './writes.ts'

export const plans = defineScreen({ section: 'plans', writes: [approve] })
