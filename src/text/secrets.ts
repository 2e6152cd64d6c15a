/**
 * Text that looks like a credential, by its shape. A bare hash, a ULID or a long identifier is none:
 * what has no shape of its own counts only beside a name like `password`.
 */

const MASK = '[secret]'

/** What a credential is called when a text is said to hold one: never the text itself. */
interface Shape {
  what: string
  pattern: RegExp
}

/** Shapes that nothing else has. Each is linear: no part can be matched in two ways. */
const SHAPES: readonly Shape[] = [
  {
    what: 'a private key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)/g,
  },
  { what: 'a JSON web token', pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/g },
  { what: 'an AWS access key', pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g },
  { what: 'a GitHub token', pattern: /\bgh[pousr]_[A-Za-z0-9]{30,}/g },
  { what: 'a GitHub token', pattern: /\bgithub_pat_[A-Za-z0-9_]{22,}/g },
  { what: 'a GitLab token', pattern: /\bgl(?:pat|dt|rt|ptt|ft|soat)-[\w-]{20,}/g },
  { what: 'a Slack token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g },
  { what: 'a Slack token', pattern: /\bxapp-\d-[A-Za-z0-9-]{10,}/g },
  { what: 'a Slack webhook', pattern: /\bhooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g },
  { what: 'a Stripe key', pattern: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { what: 'a webhook secret', pattern: /\bwhsec_[A-Za-z0-9+/=]{16,}/g },
  {
    what: 'a key of a model provider',
    pattern: /\bsk-(?:ant-|proj-|svcacct-|or-)?[A-Za-z0-9_-]{20,}/g,
  },
  { what: 'a Google key', pattern: /\bAIza[\w-]{35}/g },
  { what: 'a Google token', pattern: /\bya29\.[\w-]{20,}/g },
  { what: 'a Google secret', pattern: /\bGOCSPX-[\w-]{20,}/g },
  { what: 'an npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { what: 'a PyPI token', pattern: /\bpypi-[\w-]{40,}/g },
  { what: 'a Hugging Face token', pattern: /\bhf_[A-Za-z]{30,}/g },
  { what: 'a SendGrid key', pattern: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g },
  { what: 'a Twilio key', pattern: /\bSK[0-9a-f]{32}\b/g },
  { what: 'a DigitalOcean token', pattern: /\bdo[op]_v1_[0-9a-f]{64}\b/g },
  { what: 'a Docker token', pattern: /\bdckr_pat_[\w-]{20,}/g },
  { what: 'a Linear key', pattern: /\blin_api_[A-Za-z0-9]{30,}/g },
  { what: 'a Shopify token', pattern: /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g },
  { what: 'a Vault token', pattern: /\bhv[sb]\.[\w-]{20,}/g },
  { what: 'a Databricks token', pattern: /\bdapi[0-9a-f]{32}\b/g },
  { what: 'an age key', pattern: /\bAGE-SECRET-KEY-1[0-9A-Z]{50,}/g },
  { what: 'a Telegram token', pattern: /\b\d{8,10}:AA[\w-]{33}\b/g },
]

/** `Bearer …`, and whatever follows `Authorization: Basic`. */
const BEARER =
  /\b(Bearer\s{1,4}|Authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:Basic|Token)\s{1,4})([\w.~+/-]{12,}=*)/gi

/** The password of `scheme://user:password@host`. */
const URL_PASSWORD =
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@"'<>]{0,80}:)([^\s/@"'<>]{3,200})(?=@)/gi

const NAME =
  '(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|' +
  'account[_-]?key|client[_-]?key|signing[_-]?key|encryption[_-]?key|credentials?|auth)'
const SECRET_NAME = new RegExp(`${NAME}(?:[_-]?(?:id|value|hash))?$`, 'i')

/** `name = value`, `name: "value"`, `"name": "value"`; escaped quotes of JSON inside JSON count as quotes. */
const NAMED = new RegExp(
  `(${NAME}(?:\\\\?["'])?[ \\t]{0,4}(?::=|=>|[:=])[ \\t]{0,4}(?:\\\\?["'\`])?)` +
    '([^\\s"\'`,;<>(){}\\[\\]\\\\]{8,400})',
  'gi',
)

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
/** Placeholders that documentation has in place of a value. */
const PLACEHOLDER =
  /^(?:\$|%|your|my-|example|changeme|change-me|placeholder|redacted|\*+$|x+$|\.+$|process\.env|os\.environ|env\.|none$|null$|undefined$|true$|false$)/i

/** The text with every secret in it replaced. The rest stays as it is. */
export const maskSecrets = (text: string): string => mask(text, () => {})

/**
 * The address of a service as people may read it: a user, whatever follows a `?` or a `#`, and every secret in it are
 * masked. Any part of a query may be a key.
 */
export const maskAddress = (address: string): string =>
  maskSecrets(
    address.replaceAll(/\/\/[^\s/"]*@/g, `//${MASK}@`).replaceAll(/([?#])[^\s"]+/g, `$1${MASK}`),
  )

/** What the text seems to hold, each kind of credential once: `a GitHub token`. */
export function secretsIn(text: string): string[] {
  const kinds = new Set<string>()
  mask(text, (what) => kinds.add(what))
  return [...kinds]
}

function mask(text: string, found: (what: string) => void): string {
  if (text.length < 8) return text
  const replaced = (what: string, before = ''): string => {
    found(what)
    return before + MASK
  }
  let masked = text
  for (const { what, pattern } of SHAPES) masked = masked.replace(pattern, () => replaced(what))
  return masked
    .replace(URL_PASSWORD, (whole, before: string, value: string) =>
      value.startsWith(MASK) ? whole : replaced('a password in a URL', before),
    )
    .replace(BEARER, (whole, before: string, value: string) =>
      isBare(value) ? whole : replaced('an authorization header', before),
    )
    .replace(NAMED, (whole, before: string, value: string) =>
      looksSecret(value) ? replaced('a value named like a password or a key', before) : whole,
    )
}

export const holdsSecret = (text: string): boolean => maskSecrets(text) !== text

/** Deeper than any argument that a tool accepts. */
const DEEPEST = 40

/** Strings of one value that are looked at. No schema takes as many as an attack sends. */
const MOST_SEEN = 5_000

/**
 * A copy of a JSON value in which `show` has seen every string, and values under a name like
 * `password` are masked whole.
 */
export function maskValue(
  value: unknown,
  show: (text: string) => string,
  depth = 0,
  seen = { count: 0 },
): unknown {
  if (seen.count++ >= MOST_SEEN) return '[too much]'
  if (typeof value === 'string') return show(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEEPEST) return '[too deep]'
  // One more than is left shows that there was more.
  const left = MOST_SEEN - seen.count + 1
  if (Array.isArray(value)) {
    return value.slice(0, left).map((item) => maskValue(item, show, depth + 1, seen))
  }
  const entries = Object.entries(value).slice(0, left)
  return Object.fromEntries(
    entries.map(([name, item]) => {
      const secret = typeof item === 'string' && SECRET_NAME.test(name) && looksSecret(item)
      return [show(name), secret ? MASK : maskValue(item, show, depth + 1, seen)]
    }),
  )
}

/** Whether the value of a name like `password` is a secret: no id, no placeholder, no plain words. */
function looksSecret(value: string): boolean {
  if (value.length < 8 || value.startsWith(MASK) || isBare(value)) return false
  if (PLACEHOLDER.test(value)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length
  return (kinds >= 2 && /[\d\W]/.test(value) && entropy(value) >= 2.5) || entropy(value) >= 3.8
}

/** Our own ids are no secrets, claim tokens included. */
const isBare = (value: string): boolean => ULID.test(value)

/** Bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
