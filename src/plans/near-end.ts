/** From this share of closed steps on a plan is near its end. */
export const NEAR_END_PERCENT = 80

/** `done` counts closed steps, dropped ones included. */
export const isNearEnd = ({ done, steps }: { done: number; steps: number }): boolean =>
  done < steps && done * 100 >= steps * NEAR_END_PERCENT

/** How far it still is: `2 steps from shipped`. */
export const distanceOf = ({ done, steps }: { done: number; steps: number }): string =>
  `${steps - done === 1 ? 'one step' : `${steps - done} steps`} from shipped`
