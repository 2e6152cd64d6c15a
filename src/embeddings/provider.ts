/** Which provider the configuration names, or why it names none. */
import type { Config } from '../config.ts'
import { endpointOf } from '../kernel/provider.ts'

/** The provider, and how to ask it. */
export interface Provider {
  protocol: 'openai' | 'ollama'
  /** The exact address that is posted to. */
  url: URL
  key: string
  model: string
  /** Asked for where the protocol can, and checked in any case; 0 takes what the model gives. */
  dims: number
}

/** No endpoint: what is learned from the store's own passages. */
export interface OwnProvider {
  protocol: 'store'
}

export interface NoProvider {
  cause: string
  misconfigured: boolean
  chosen: boolean
}

const OPENAI = 'https://api.openai.com/v1'
const OLLAMA = 'http://127.0.0.1:11434'
const OLLAMA_PORT = '11434'
const PATHS = { openai: 'embeddings', ollama: 'api/embed' }
const MODELS = { openai: 'text-embedding-3-large', ollama: 'qwen3-embedding:8b' }
/** The dimensions to ask OpenAI for when none are configured: a third of the size finds hardly less. */
const OPENAI_DIMS = 1024

interface Source {
  protocol: Provider['protocol']
  base: string
  key: string
}

/** The cause while the stored switch is off. */
export const OWNER_OFF =
  'switched off by the owner; "loam embeddings auto" and a restart turn them on'

/** `mode` is the stored switch: `off` turns embeddings off whatever is configured. */
export function chooseProvider(config: Config, mode: string): Provider | OwnProvider | NoProvider {
  if (mode === 'off') {
    return chosenOff(OWNER_OFF)
  }
  if (config.embeddings.provider === 'off') return chosenOff('embeddings.provider is off')
  if (config.embeddings.provider === 'store') return { protocol: 'store' }
  const source = sourceOf(config)
  if ('cause' in source || source.protocol === 'store') return source
  const { protocol, base, key } = source
  const url = endpointOf(base, PATHS[protocol])
  if (!url) {
    const cause = `the base URL of the embedding provider is not an http:// or https:// address`
    return { cause, misconfigured: true, chosen: false }
  }
  const official = protocol === 'openai' && url.hostname === new URL(OPENAI).hostname
  if (official && key === '') return missing(KEY_MISSING)
  const { model, dims } = config.embeddings
  return {
    protocol,
    url,
    key,
    model: model || MODELS[protocol],
    dims: dims || (official ? OPENAI_DIMS : 0),
  }
}

const chosenOff = (cause: string): NoProvider => ({ cause, misconfigured: false, chosen: true })
const missing = (cause: string): NoProvider => ({ cause, misconfigured: false, chosen: false })

const KEY_MISSING =
  'the key of the embedding provider is missing: set embeddings.api_key (LOAM_EMBEDDINGS_API_KEY)'
/** What is complete under `embeddings`, else what the owner has set under `llm`, else what needs nothing. */
function sourceOf({ embeddings, llm }: Config): Source | OwnProvider | NoProvider {
  const { provider, base_url: base, api_key: key } = embeddings
  if (provider === 'ollama') {
    return { protocol: 'ollama', base: base || llm.ollama.base_url || OLLAMA, key }
  }
  if (base !== '') {
    return { protocol: provider === 'auto' && isOllama(base) ? 'ollama' : 'openai', base, key }
  }
  if (key !== '') return { protocol: 'openai', base: OPENAI, key }

  const openai = llm.openai.api_key !== '' || llm.openai.base_url !== ''
  const viaOpenai: Source = {
    protocol: 'openai',
    base: llm.openai.base_url || OPENAI,
    key: llm.openai.api_key,
  }
  if (provider === 'openai') return openai ? viaOpenai : missing(KEY_MISSING)
  const viaOllama: Source = { protocol: 'ollama', base: llm.ollama.base_url, key: '' }
  const ollama = llm.ollama.base_url !== ''
  if (ollama && (llm.provider === 'ollama' || !openai)) return viaOllama
  if (openai) return viaOpenai
  return { protocol: 'store' }
}

/** Ollama's own protocol unless the address says that its OpenAI-compatible one is meant. */
function isOllama(base: string): boolean {
  const url = URL.parse(base)
  return url?.port === OLLAMA_PORT && !/\/v1\/?$/.test(url.pathname)
}
