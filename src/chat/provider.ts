/** Which provider `llm.*` names, or why it names none. */
import type { Config } from '../config.ts'
import { endpointOf } from '../kernel/provider.ts'
import { PROTOCOLS, type ProtocolName } from './protocols.ts'

/** The provider, and how to ask it. */
export interface Provider {
  protocol: ProtocolName
  /** The exact address that is posted to. */
  url: URL
  key: string
  model: string
}

export interface NoProvider {
  cause: string
  misconfigured: boolean
}

/**
 * A key is needed at the provider's own address. A server of somebody else that speaks the same protocol, for
 * which an address was set, may do without one.
 */
export function chooseProvider({ llm }: Config): Provider | NoProvider {
  // The schema of the configuration allows no other.
  const protocol = llm.provider as ProtocolName
  const { base_url: base, chat_model: model } = llm[protocol]
  const { home, path, keyed } = PROTOCOLS[protocol]
  const key = protocol === 'ollama' ? '' : llm[protocol].api_key
  const url = endpointOf(base || home, path)
  if (!url) return contradicts(`llm.${protocol}.base_url is not an http:// or https:// address`)
  if (model.trim() === '') return contradicts(`llm.${protocol}.chat_model is empty: name a model`)
  if (keyed && key === '' && url.hostname === new URL(home).hostname) {
    return { cause: keyMissing(protocol), misconfigured: false }
  }
  return { protocol, url, key, model }
}

const contradicts = (cause: string): NoProvider => ({ cause, misconfigured: true })

const keyMissing = (protocol: ProtocolName): string =>
  `no chat model is set up: set llm.${protocol}.api_key (LOAM_LLM_${protocol.toUpperCase()}_API_KEY), ` +
  'or llm.provider and its settings'
