import { expect } from 'chai'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { verify } from 'oidc-provider-impersonation-verify'
import { createApp } from '../../example-provider/app.ts'
import { readConfig } from '../../example-provider/config.ts'
import { Application } from '../../example-provider/demo/application.ts'
import { withHistory } from '../../example-provider/demo/history/fill.ts'
import { startServer } from '../../example-provider/server.ts'
import { expectRejection } from '../adapters/servers.ts'
import { newFolder } from '../support/folder.ts'
import { send } from './support.ts'

const CONSOLE = { clientId: 'support-console', redirectPath: '/console/callback' } as const
const IMPERSONATIONS = 300
const YEAR_MS = 365 * 86_400_000

describe('npm start -- --with-history', () => {
  it('fills a year that verify finds whole, once, and no audit of others', async () => {
    const DATA_DIR = newFolder()
    const startFilled = (environment: Record<string, string> = {}) => {
      const ports = { PORT: '0', SHOP_PORT: '0', DATA_DIR }
      const config = readConfig({ ...ports, ...environment })
      return startServer(config, withHistory(config, createApp, IMPERSONATIONS))
    }
    const STORAGE_URL = 'postgres://joe@db.example/support'
    expect(() => startFilled({ STORAGE_URL })).to.throw("the example's own audit alone")
    const { url, close } = await startFilled()
    const asks = async (login: string) => {
      const application = await Application.discover(url, CONSOLE)
      const authorization = `Bearer ${await application.signIn(login, 'demo-password')}`
      return (path: string) => send(`${url}/console${path}`, { headers: { authorization } })
    }

    const ada = await asks('ada')
    const { text } = await ada('/audit/entries.jsonl')
    const keys = JSON.parse((await send(`${url}/oidc/jwks`)).text) as JSONWebKeySet
    async function* read() {
      yield Buffer.from(text)
    }
    const found = await verify({ read, keys: createLocalJWKSet(keys) })
    expect(found.rows).to.be.within(IMPERSONATIONS, IMPERSONATIONS * 1.1)
    expect(found.permits).to.be.above(10)
    expect(found.unprovedRows, 'rows that are not proved').to.equal(0)
    const times = [...text.matchAll(/\\"timeMs\\":(\d+)/g)].map(([, time]) => Number(time))
    expect(Math.min(...times)).to.be.within(Date.now() - 1.1 * YEAR_MS, Date.now() - 0.9 * YEAR_MS)
    expect(Math.max(...times)).to.be.at.most(Date.now())

    const allowed = text.split('\n').filter((line) => line.includes('support.granted'))
    const own = allowed.filter((line) => /\\"by\\":\\"dana\\"/.test(line))
    expect(own, 'what a customer allows').to.have.length.above(0)
    expect(own.join(), 'she speaks for herself').to.not.include('The customer')

    // A newcomer who plays the stories of the start page has nothing to tidy up first.
    const grace = await asks('grace')
    for (const path of ['']) {
      const { status, text: answer } = await grace(path)
      expect(status, path).to.equal(200)
      const operators = [...answer.matchAll(/"operator":\{"id":"(\w+)"/g)].map(([, id]) => id)
      expect(operators, path).to.not.include('olivia').and.not.include('oscar')
    }
    await close()
    await expectRejection(startFilled(), /--with-history fills an empty audit.*DATA_DIR/)
  })
})
