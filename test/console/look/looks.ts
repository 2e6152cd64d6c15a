/** How each sight is looked at: themes, widths and what owners set in their browsers. */
import type { Look } from '../../helpers/browser.ts'
import type { Sight } from './sights.ts'

export interface NamedLook extends Look {
  name: string
  theme: 'light' | 'dark'
  width: number
}

const WIDTHS = [1440, 1024, 390] as const

export const LOOKS: readonly NamedLook[] = [
  ...(['light', 'dark'] as const).flatMap((theme) =>
    WIDTHS.map((width) => ({ name: `${theme}-${width}`, theme, width })),
  ),
  { name: 'zoomed', theme: 'light', width: 1440, zoom: 2 },
  { name: 'forced', theme: 'dark', width: 1440, forcedColours: true },
  { name: 'plain', theme: 'light', width: 1440, script: false },
]

export interface Glance {
  sight: Sight
  look: NamedLook
  /** Whether it is judged for people who cannot see, or not well: once for each theme. */
  judged: boolean
}

export const glancesOf = (sights: readonly Sight[]): Glance[] =>
  sights.flatMap((sight) =>
    LOOKS.filter(({ width }) => width === (sight.width ?? width))
      .filter(({ zoom }) => !zoom || sight.zoom !== false)
      .filter(({ script = true }) => script || !sight.prepare)
      .map((look) => ({ sight, look, judged: isJudged(sight, look) })),
  )

const isJudged = ({ width = WIDTHS[0] }: Sight, look: NamedLook): boolean =>
  look.name === `${look.theme}-${width}`
