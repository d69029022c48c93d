// The deployment's own functions are asked, and answer, as before.
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Configuration } from 'oidc-provider'
import { basic, type DeploymentOptions } from '../support/deployment.ts'
import { comparable, printedBy, type Side, sideBySide } from '../support/side-by-side.ts'

type ResourceIndicators = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>

/** Returns the answers of both kinds of provider to a machine, which have to be the same. */
async function answerTo(resourceIndicators: ResourceIndicators) {
  const features = { resourceIndicators }
  const [plain, ours] = await onBoth({ configuration: { features } }, async (side) =>
    comparable(side, await tokenAt(side, 'https://any.example')),
  )
  expect(ours).to.deep.equal(plain)
  return ours
}

async function onBoth<T>(options: DeploymentOptions, ask: (side: Side) => Promise<T>) {
  await using sides = await sideBySide(() => options)
  return [await ask(sides.plain), await ask(sides.ours)] as const
}

const tokenAt = (side: Side, resource = `${side.base}/orders`) => {
  const form = { grant_type: 'client_credentials', resource }
  return side.post('/oidc/token', form, basic('backend', 'backend-secret'))
}

describe('I12: getResourceServerInfo of the deployment', () => {
  it('that answers nothing is a 500, as before', async () => {
    const getResourceServerInfo = () => undefined as never
    expect(await answerTo({ getResourceServerInfo })).to.deep.include({ status: 500 })
  })

  it('that is not there answers invalid_target as before, without the notice that it should be', async () => {
    const printed = await printedBy(async () => {
      const answer = await answerTo({ getResourceServerInfo: undefined })
      expect(answer).to.deep.include({ status: 400 })
    })
    expect(printed.filter((line) => line.includes('getResourceServerInfo'))).to.have.lengthOf(1)
  })
})

describe('I12: claims of the deployment itself', () => {
  it("are as before, but for act, which is the provider's word, and a copy of what JSON says of them", async () => {
    const seen: unknown[] = []
    const at = new Date(0)
    const options: DeploymentOptions = {
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
    }
    const [plain, ours] = await onBoth(options, claims)
    expect(seen).to.deep.equal([{ sub: 'mallory' }, at, undefined, at.toJSON()])
    expect(plain.act).to.deep.equal({ sub: 'eve' })
    const { act: _, ...rest } = plain
    expect({ ...ours, aud: rest.aud, jti: rest.jti, iat: rest.iat, exp: rest.exp }).to.deep.equal(
      rest,
    )
  })

  for (const [what, spoil, statuses] of [
    ['are a 500 where the JWT customizer leaves no JSON object', spoilPayload, [200, 500]],
    ['are as before where the JWT customizer freezes what it gets', Object.freeze, [200, 200]],
  ] as const) {
    it(what, async () => {
      const jwt = (_ctx: unknown, _token: unknown, made: { payload: object }) => void spoil(made)
      const configuration = { formats: { customizers: { jwt } } }
      const answers = await onBoth({ configuration }, (side) => tokenAt(side))
      expect(answers.map(({ status }) => status)).to.deep.equal(statuses)
    })
  }

  async function claims(side: Side) {
    return decodeJwt((await tokenAt(side)).body.access_token)
  }
})

function spoilPayload({ payload }: { payload: object }): void {
  Object.assign(payload, { toJSON: () => [] })
}
