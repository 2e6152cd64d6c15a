import type { App } from '../../../app.ts'
import type { Features } from '../../../features/features.ts'

export interface FeatureState {
  effective: Features
  configured: Features
}

/** Which features are on, and which the configuration turns on. */
export async function featureState({ kernel }: App): Promise<FeatureState> {
  const { findFeatures } = await import('../../../features/features.ts')
  return { effective: await findFeatures(kernel), configured: kernel.config.features }
}

/** A line for each feature. A stored switch is named where it decides. */
export const featureLines = ({ effective, configured }: FeatureState): string[] =>
  Object.entries(effective).map(([name, on]) => {
    const stored = configured[name as keyof Features] === on ? '' : ', by a stored switch'
    return `${name}: ${on ? 'on' : 'off'}${stored}`
  })
