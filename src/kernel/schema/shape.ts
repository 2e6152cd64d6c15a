/** What the reader looks at in a JSON schema. TypeBox schemas are of this shape. */
export interface Shape {
  type?: string
  enum?: readonly unknown[]
  items?: Shape
  properties?: Record<string, Shape>
  required?: readonly string[]
  default?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  /** Of an object as JSON. */
  maxBytes?: number
  contentMediaType?: string
}

export type Values = Record<string, unknown>

export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object that declares none of its parts takes any. */
export const isFree = ({ properties = {} }: Shape): boolean => Object.keys(properties).length === 0
