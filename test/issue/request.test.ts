import { inspect } from 'node:util'
import { expect } from 'chai'
import { parseIssueRequest } from '../../src/issue/request.ts'
import type { BindingMember } from '../../src/public/hooks.ts'

type Bounds = Parameters<typeof parseIssueRequest>[1]

function parse(json: unknown, ...requireBinding: BindingMember[]) {
  const bounds = { limits: { userIdLength: 255 }, managementApi: { requireBinding } }
  return parseIssueRequest(json, bounds as unknown as Bounds)
}

/** The description of the refusal. */
function refusalOf(json: unknown, ...requireBinding: BindingMember[]): string {
  try {
    return `taken: ${inspect(parse(json, ...requireBinding))}`
  } catch (error) {
    return String(Object(error).message)
  }
}

describe('the body of a request for a subject token', () => {
  const refused: Array<[json: unknown, description: RegExp]> = [
    [['alice'], /^a JSON object is expected$/],
    [{ context: {} }, /^userId is required$/],
    [{ userId: null }, /^userId must be a string/],
    [{ userId: 'a'.repeat(256) }, /^userId must have 1 to 255 characters/],
    [{ userId: 'al\nice' }, /^userId must not contain/],
    [{ userId: 'alice', mayAct: { sub: '\u200bo' } }, /^mayAct.sub must not begin or end with/],
    [{ userId: 'alice', context: [] }, /^context must be a JSON object/],
    ...[nested(33), { list: [[nested(30)]] }].map((context): [object, RegExp] => [
      { userId: 'alice', context },
      /^context must not be nested deeper than 32 levels$/,
    ]),
    [{ userId: 'alice', contxt: {} }, /^contxt is not known; known are: userId, /],
    [{ userId: 'alice', '"<script>\r\n': 1 }, /^\?<script>\?\? is not known; /],
  ]
  for (const [json, description] of refused) {
    it(`refuses ${inspect(json).slice(0, 60)}: ${description.source}`, () => {
      expect(refusalOf(json)).to.match(description)
    })
  }

  const wrong: Array<[member: string, ...values: unknown[]]> = [
    ['mayAct', 'olivia', {}, [], { sub: 'olivia', role: 'support' }],
    ['mayAct.sub', { sub: '' }, { sub: 7 }, { sub: 'a\0' }],
    ['mayAct.clientId', { clientId: 'x'.repeat(256) }],
    ['resource', '', '/orders', 'https://x.example/#a', [], [7], uriOf(2049)],
    ['resource', Array(17).fill('https://x.example'), ['https://x.example', uriOf(2049)]],
    ['scope', '', ' a', 'a  b', 'a"b', ['a'], 'x'.repeat(1025)],
    ['expiresIn', 0, -1, 1.5, '60', null],
  ]
  for (const [member, ...values] of wrong) {
    it(`refuses a wrong ${member} by name`, () => {
      const [name = ''] = member.split('.')
      for (const value of values) {
        expect(refusalOf({ userId: 'alice', [name]: value })).to.match(new RegExp(`^${member}\\b`))
      }
    })
  }

  it('takes what is just within bounds, and freezes it', () => {
    const longest: object[] = [
      { userId: '😀'.repeat(255) },
      { context: nested(32) },
      { mayAct: { sub: 'x'.repeat(255), clientId: 'x'.repeat(255) } },
      { resource: uriOf(2048) },
      { resource: Array(16).fill('https://x.example') },
      { scope: 'x'.repeat(1024) },
      { expiresIn: 1 },
    ]
    for (const members of longest) {
      expect(parse({ userId: 'alice', ...members })).to.satisfy(Object.isFrozen)
    }
  })

  it('managementApi.requireBinding insists on each member that it lists, by name', () => {
    const members = {
      mayAct: { sub: 'olivia' },
      resource: 'https://x.example',
      scope: 'orders:read',
      expiresIn: 9,
    }
    const required = ['mayAct', 'resource', 'scope', 'expiresIn'] as const
    for (const member of required) {
      const { [member]: _, ...others } = members
      expect(refusalOf({ userId: 'alice', ...others }, ...required)).to.equal(
        `${member} is required`,
      )
    }
    expect(parse({ userId: 'alice', ...members }, ...required).expiresIn).to.equal(9)
  })
})

/** So many objects, one in the other. */
function nested(levels: number): object {
  return levels === 1 ? {} : { deep: nested(levels - 1) }
}

/** A URI of that many characters. */
function uriOf(length: number): string {
  return 'https://x.example/'.padEnd(length, 'x')
}
