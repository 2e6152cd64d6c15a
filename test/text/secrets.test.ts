import { describe, expect, test } from 'vitest'
import { holdsSecret, maskSecrets, maskValue } from '../../src/text/secrets.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const part = (text: string, times = 1): string => text.repeat(times)

describe('masking', () => {
  test.each([
    ['an AWS key', `id AKIA${part('ABCD1234', 2)} end`],
    ['a GitHub token', `ghp_${part('aB3d', 10)}`],
    ['a fine-grained GitHub token', `github_pat_${part('a1B2c3', 8)}`],
    ['a GitLab token', `glpat-${part('aB3-', 6)}`],
    ['a Slack token', `xoxb-${part('123456', 2)}-abcdef`],
    ['a Stripe key', `sk_live_${part('aB3d', 6)}`],
    ['an OpenAI key', `sk-proj-${part('aB3_d', 8)}`],
    ['an Anthropic key', `sk-ant-api03-${part('aB3_d', 8)}`],
    ['a Google key', `AIza${part('aB3_dE7', 5)}`],
    ['an npm token', `npm_${part('aB3dE7', 6)}`],
    ['a JWT', `eyJ${part('hbGciOi')}J9x.eyJ${part('zdWIiOiIx')}.${part('Sfl_Kx', 4)}`],
    ['a bearer', `Authorization: Bearer ${part('aB3.dE7', 4)}`],
    ['basic credentials', `Authorization: Basic ${part('dXNlcjpw', 3)}==`],
    ['a password in a URL', 'postgres://loam:hunter2x@db.example:5432/loam'],
    [
      'a key block',
      `-----BEGIN RSA PRIVATE KEY-----\n${part('MIIE', 9)}\n-----END RSA PRIVATE KEY-----`,
    ],
    ['a key block that was cut', `-----BEGIN OPENSSH PRIVATE KEY-----\n${part('b3Bl', 9)}`],
    ['an assignment', 'API_KEY=9f86d081884c7d65'],
    ['a quoted assignment', `db_password: "Tr0ub4dor&3x"`],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ client_secret: 'q8Zr!7pLm2' }))],
    ['an arrow', `'secret_token' => 'q8Zr7pLm2xYw'`],
  ])('hides %s', (_, text) => {
    const masked = maskSecrets(text)
    expect(masked).toContain('[secret]')
    expect(holdsSecret(masked)).toBe(false)
    for (const word of text.match(/[\w!&.-]{8,}/g) ?? []) {
      if (/\d/.test(word) && !/example|PRIVATE|password|secret/i.test(word)) {
        expect(masked).not.toContain(word)
      }
    }
  })

  test.each([
    ['a git hash', 'fixed in fc2c5684e105dbba1983fe25416ee5ef7e2a0c75'],
    ['a SHA-256', `content_hash: ${part('0123456789abcdef', 4)}`],
    ['a ULID', '01K9ZC4T7Q8V2M5N6P3R1S0WXY'],
    ['a claim token', 'claim_token: 01K9ZC4T7Q8V2M5N6P3R1S0WXY'],
    ['a UUID', 'mcp-session-3f2b8c1e-5a6d-4e7f-8a9b-0c1d2e3f4a5b'],
    [
      'prose about tokens',
      'The token: a short-lived credential. The password is hashed with argon2.',
    ],
    ['a placeholder', 'export API_KEY=your-api-key-here; password=${DB_PASSWORD}'],
    ['an empty value', 'password=\nnext_line: yes'],
    ['a path', '/usr/share/password-store/README.md'],
    ['code', 'const token = tokenize(source); if (token === undefined) return'],
    ['a port after a host', 'http://localhost:8420/console/notes@atlas'],
    ['a class name', 'class AuthenticationTokenProvider extends BaseAuthenticationProvider {}'],
    ['a masked text', 'api_key=[secret]'],
  ])('leaves %s as it is', (_, text) => {
    expect(maskSecrets(text)).toBe(text)
  })

  test('finds a value by the name it stands under', () => {
    const value = {
      apiKey: 'q8Zr7pLm2xYw',
      note: 'q8Zr7pLm2xYw',
      list: [{ password: 'hunter22x' }],
    }
    expect(maskValue(value, maskSecrets)).toEqual({
      apiKey: '[secret]',
      note: 'q8Zr7pLm2xYw',
      list: [{ password: '[secret]' }],
    })
  })

  test('takes time that grows with the text, whatever the text', () => {
    const evil = ['a', '-', ' ', 'eyJ', 'sk-', 'token=', '://a:', '-----BEGIN ', 'Bearer ', 'x_']
    for (const piece of evil) {
      const text = piece.repeat(Math.ceil(200_000 / piece.length))
      const started = performance.now()
      maskSecrets(text)
      expect(performance.now() - started, JSON.stringify(piece)).toBeLessThan(2_000)
    }
  })
})
