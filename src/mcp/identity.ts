/** What the server says of itself in both generations. */
import type { Build } from '../kernel/build.ts'

/** No list notification is ever sent. */
export const CAPABILITIES = { tools: { listChanged: false } }

export const serverInfo = ({ version }: Build) => ({ name: 'loam', version })
