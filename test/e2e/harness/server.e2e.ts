import { expect } from 'chai'
import { authorizationUrl } from '../../../example-provider/demo/commands.ts'
import { postForm, send } from '../../example-provider/support.ts'
import { startExampleHere } from '../support/server.ts'

const HOUR = 3_600_000

describe('the example, for a test', () => {
  it('in this process: its clock can be moved, and stands right again afterwards', async () => {
    const real = Date
    {
      await using example = await startExampleHere()
      const { headers } = await send(authorizationUrl(example.url))
      const cookie = headers
        .getSetCookie()
        .map((it) => it.split(';')[0])
        .join('; ')
      const page = new URL(headers.get('location') ?? '', example.url).href
      expect((await send(page, { headers: { cookie } })).status).to.equal(200)
      example.moveClock(2 * HOUR)
      expect((await postForm(page, {}, { cookie })).text).to.include('expired')

      const now = new Date()
      expect(now).to.be.instanceof(real)
      expect(now.getTime() - real.now()).to.be.closeTo(2 * HOUR, 60_000)
      expect(Date.now() - real.now()).to.be.closeTo(2 * HOUR, 60_000)
      expect(new Date(0).toISOString()).to.equal('1970-01-01T00:00:00.000Z')
    }
    expect(Date).to.equal(real)
  })
})
