import type { Screen } from './screen.ts'

/** Returns where the screen's first page is. */
export const addressOf = ({ section, path = section }: Screen): string => `/console/${path}`
