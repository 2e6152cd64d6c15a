/**
 * Text that looks like a credential, by its shape. A bare hash, a ULID or a long identifier is none:
 * what has no shape of its own counts only beside a name like `password`.
 */

const MASK = '[secret]'

/** Shapes that nothing else has. Each is linear: no part can be matched in two ways. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)/g,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{22,}/g,
  /\bgl(?:pat|dt|rt|ptt|ft|soat)-[\w-]{20,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bxapp-\d-[A-Za-z0-9-]{10,}/g,
  /\bhooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\bwhsec_[A-Za-z0-9+/=]{16,}/g,
  /\bsk-(?:ant-|proj-|svcacct-|or-)?[A-Za-z0-9_-]{20,}/g,
  /\bAIza[\w-]{35}/g,
  /\bya29\.[\w-]{20,}/g,
  /\bGOCSPX-[\w-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bpypi-[\w-]{40,}/g,
  /\bhf_[A-Za-z]{30,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\bSK[0-9a-f]{32}\b/g,
  /\bdo[op]_v1_[0-9a-f]{64}\b/g,
  /\bdckr_pat_[\w-]{20,}/g,
  /\blin_api_[A-Za-z0-9]{30,}/g,
  /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g,
  /\bhv[sb]\.[\w-]{20,}/g,
  /\bdapi[0-9a-f]{32}\b/g,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{50,}/g,
  /\b\d{8,10}:AA[\w-]{33}\b/g,
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
  `([\\w-]{0,40}${NAME}(?:\\\\?["'])?[ \\t]{0,4}(?::=|=>|[:=])[ \\t]{0,4}(?:\\\\?["'\`])?)` +
    '([^\\s"\'`,;<>(){}\\[\\]\\\\]{8,400})',
  'gi',
)

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
/** Stands in documentation where the value would be. */
const PLACEHOLDER =
  /^(?:\$|%|your|my-|example|changeme|change-me|placeholder|redacted|\*+$|x+$|\.+$|process\.env|os\.environ|env\.|none$|null$|undefined$|true$|false$)/i

/** The text with every secret in it replaced. The rest stays as it is. */
export function maskSecrets(text: string): string {
  if (text.length < 8) return text
  let masked = text
  for (const shape of SHAPES) masked = masked.replace(shape, MASK)
  return masked
    .replace(URL_PASSWORD, `$1${MASK}`)
    .replace(BEARER, (whole, before: string, value: string) =>
      isBare(value) ? whole : before + MASK,
    )
    .replace(NAMED, (whole, before: string, value: string) =>
      looksSecret(value) ? before + MASK : whole,
    )
}

export const holdsSecret = (text: string): boolean => maskSecrets(text) !== text

/** Deeper than any argument that a tool accepts. */
const DEEPEST = 40

/**
 * A copy of a JSON value in which `show` has seen every string, and values under a name like
 * `password` are masked whole.
 */
export function maskValue(value: unknown, show: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return show(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEEPEST) return '[too deep]'
  if (Array.isArray(value)) return value.map((item) => maskValue(item, show, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const secret = typeof item === 'string' && SECRET_NAME.test(name) && looksSecret(item)
      return [show(name), secret ? MASK : maskValue(item, show, depth + 1)]
    }),
  )
}

/** Whether a value that stands beside a telling name is one: not an id, not a stand-in, not plain words. */
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
