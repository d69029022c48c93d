// What the deployment's own functions were asked and answered before, they are and do now.
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Configuration } from 'oidc-provider'
import { basic } from '../support/deployment.ts'
import { comparable, type Side, sideBySide } from '../support/side-by-side.ts'

type ResourceIndicators = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>

describe('I12: getResourceServerInfo of the deployment', () => {
  const answers = async (resourceIndicators: ResourceIndicators) => {
    const sides = await sideBySide(() => ({ configuration: { features: { resourceIndicators } } }))
    const [plain, ours] = await Promise.all(
      [sides.plain, sides.ours].map(async (side) => {
        const form = { grant_type: 'client_credentials', resource: 'https://any.example' }
        const answer = await side.post('/oidc/token', form, basic('backend', 'backend-secret'))
        return comparable(side, answer)
      }),
    )
    await sides.close()
    expect(ours).to.deep.equal(plain)
    return ours
  }

  it('that answers nothing is a 500, as before', async () => {
    const getResourceServerInfo = () => undefined as never
    expect(await answers({ getResourceServerInfo })).to.deep.include({ status: 500 })
  })

  it('that is not there answers invalid_target as before, without the notice that it should be', async () => {
    const printed: string[] = []
    const { info, warn } = console
    console.info = console.warn = (line: string) => printed.push(line)
    try {
      const answer = await answers({ getResourceServerInfo: undefined })
      expect(answer).to.deep.include({ status: 400 })
    } finally {
      Object.assign(console, { info, warn })
    }
    expect(printed.filter((line) => line.includes('getResourceServerInfo'))).to.have.lengthOf(1)
  })
})

describe('I12: claims of the deployment itself', () => {
  it("are as before, but for act, which is the provider's word, and a copy of what JSON says of them", async () => {
    const seen: unknown[] = []
    const at = new Date(0)
    const sides = await sideBySide(() => ({
      configuration: {
        extraTokenClaims: () => ({ at, act: { sub: 'mallory' }, cnf: { own: true }, fine: true }),
        formats: {
          customizers: {
            jwt(_ctx, _token, jwt) {
              seen.push(jwt.payload.act, jwt.payload.at)
              Object.assign(jwt.payload, { act: { sub: 'eve' }, iss: 'https://own.example' })
            },
          },
        },
      },
    }))
    const [plain, ours] = [await claims(sides.plain), await claims(sides.ours)]
    expect(seen).to.deep.equal([{ sub: 'mallory' }, at, undefined, at.toJSON()])
    expect(plain.act).to.deep.equal({ sub: 'eve' })
    const { act: _, ...rest } = plain
    expect({ ...ours, aud: rest.aud, jti: rest.jti, iat: rest.iat, exp: rest.exp }).to.deep.equal(
      rest,
    )
    await sides.close()
  })

  it('leave out names that are traps', async () => {
    const sides = await sideBySide(() => ({
      configuration: { extraTokenClaims: () => JSON.parse('{"__proto__":{"a":1},"fine":true}') },
    }))
    const [plain, ours] = [await claims(sides.plain), await claims(sides.ours)]
    expect([plain.fine, ours.fine]).to.deep.equal([true, true])
    expect(Object.keys(ours)).to.not.include('__proto__')
    await sides.close()
  })

  it('are a 500 where the JWT customizer leaves no JSON object', async () => {
    expect(await statusesWhere(spoilPayload)).to.deep.equal([200, 500])
  })

  it('are as before where the JWT customizer freezes what it gets', async () => {
    expect(await statusesWhere(Object.freeze)).to.deep.equal([200, 200])
  })

  async function statusesWhere(spoil: (jwt: { payload: object }) => void): Promise<number[]> {
    const sides = await sideBySide(() => ({
      configuration: {
        formats: { customizers: { jwt: (_ctx, _token, jwt) => void spoil(jwt) } },
      },
    }))
    const answers = await Promise.all([sides.plain, sides.ours].map(token))
    await sides.close()
    return answers.map(({ status }) => status)
  }

  async function claims(side: Side) {
    return decodeJwt((await token(side)).body.access_token)
  }

  function token(side: Side) {
    const form = { grant_type: 'client_credentials', resource: `${side.base}/orders` }
    return side.post('/oidc/token', form, basic('backend', 'backend-secret'))
  }
})

function spoilPayload({ payload }: { payload: object }): void {
  Object.assign(payload, { toJSON: () => [] })
}
