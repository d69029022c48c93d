import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../example-provider/config.ts'
import { StartError } from '../../hosting/start-error.ts'
import { freePort } from '../adapters/servers.ts'
import { runMain } from './support.ts'

/** What a STORAGE_URL needs beside it. */
const auditFor = (storageUrl: string): Record<string, string> =>
  /^rediss?:/i.test(storageUrl) ? { AUDIT_URL: 'sqlite:never-opened.sqlite' } : {}

describe('example provider: STORAGE_URL and AUDIT_URL', function () {
  this.timeout(120_000)

  describe('unreachable', () => {
    for (const scheme of ['redis', 'postgres']) {
      it(`${scheme}: no server listens: one line and exit 1`, async () => {
        const STORAGE_URL = `${scheme}://user:a-secret@localhost:${await freePort()}/0`
        const { code, stdout, stderr } = await runMain({ STORAGE_URL, ...auditFor(STORAGE_URL) })
        expect([code, stdout]).to.deep.equal([1, ''])
        expect(stderr).to.match(
          /^STORAGE_URL: \w+:\/\/localhost:\d+ cannot be used: .*ECONNREFUSED.*\n$/,
        )
        expect(stderr).not.to.include('a-secret')
      })

      it(`${scheme}: a server listens and says nothing: one line and exit 1, in time`, async () => {
        const silent = createServer((socket) => socket.on('error', () => {}))
        const port = await freePort()
        silent.listen(port, '127.0.0.1')
        const since = performance.now()
        const STORAGE_URL = `${scheme}://127.0.0.1:${port}/0`
        const { code, stderr } = await runMain({ STORAGE_URL, ...auditFor(STORAGE_URL) })
        silent.close()
        expect(code).to.equal(1)
        expect(stderr).to.match(/^STORAGE_URL: .* cannot be used: .*\n$/)
        expect(performance.now() - since).to.be.below(60_000)
      })
    }
  })

  describe('as it is read', () => {
    const understood: [value: string, kind: string, label: string][] = [
      ['memory:', 'memory', 'memory, forgotten at the end'],
      ['sqlite:/var/lib/x.db', 'sqlite', 'SQLite, /var/lib/x.db'],
      ['sqlite:///var/lib/x.db', 'sqlite', 'SQLite, /var/lib/x.db'],
      ['sqlite:x.db', 'sqlite', `SQLite, ${join(process.cwd(), 'x.db')}`],
      ['redis://joe:pw@db', 'redis', 'redis://db'],
      ['rediss://db:6380/1', 'redis', 'rediss://db:6380'],
      ['postgres://joe:pw@db/oidc?sslmode=require', 'postgres', 'postgres://db'],
      ['postgresql://db/oidc', 'postgres', 'postgresql://db'],
    ]
    for (const [STORAGE_URL, kind, label] of understood) {
      it(`${STORAGE_URL} is understood, and shown by its host alone`, () => {
        const config = readConfig({ STORAGE_URL, ...auditFor(STORAGE_URL) })
        expect(config.storage).to.include({ kind, label })
      })
    }

    // Without escaping, a part of the password would be read as host, port or path.
    const PASSWORDS = ['se/cret', '12/cret', '@/cret', 'se@cret', 'se?cret', 'se#cret', '12#cret@']
    const refusesWithout = (scheme: string, password: string) => {
      const STORAGE_URL = `${scheme}://joe:${password}@db.internal:5432/0`
      expect(() => readConfig({ STORAGE_URL }), STORAGE_URL)
        .to.throw(StartError, 'percent-encoded')
        .with.property('message')
        .that.does.not.match(/cret|joe|db\.internal/)
    }

    it('a password that is not escaped is refused, and no piece of it told', () => {
      const others = ['s@e/cret', '1/c@cret', '\\cret', '1\t/cret', '/@cret']
      for (const password of [...PASSWORDS, ...others]) refusesWithout('postgres', password)
    })

    for (const scheme of ['postgresql', 'redis', 'rediss', 'POSTGRES', 'REDIS']) {
      it(`nor is it with ${scheme}`, () => refusesWithout(scheme, '12/cret'))
    }

    it('an escaped password is understood, and not shown', () => {
      for (const password of PASSWORDS) {
        const STORAGE_URL = `postgres://joe:${encodeURIComponent(password)}@db/oidc`
        const { label } = readConfig({ STORAGE_URL }).storage
        expect(label).to.equal('postgres://db')
      }
    })

    it('a message that quotes a part of it is told without that part', () => {
      const read = (STORAGE_URL: string) =>
        readConfig({ STORAGE_URL, ...auditFor(STORAGE_URL) }).storage
      const postgres = read('postgres://se%20cret:pass%2Fword@db/top/hidden?password=in-query')
      for (const quoted of [
        'se cret',
        'se%20cret',
        'pass/word',
        'top/hidden',
        'hidden',
        'in-query',
      ]) {
        expect(postgres.conceal(`role "${quoted}" is not there`)).to.equal('role "…" is not there')
      }
      const redis = read('redis://a-token@db/1')
      expect(redis.conceal('no user a-token')).to.equal('no user …')
      expect(redis.conceal('db index 1')).to.equal('db index 1')
    })

    for (const STORAGE_URL of [
      'sqlite:',
      'sqlite://x.db',
      'redis:',
      'postgres://',
      'memory',
      '/x.db',
    ]) {
      it(`${STORAGE_URL} is not understood`, () => {
        expect(() => readConfig({ STORAGE_URL })).to.throw(StartError, 'STORAGE_URL')
      })
    }
  })

  describe('where the audit is kept', () => {
    it('is with everything else, unless AUDIT_URL says where: with Redis', () => {
      for (const STORAGE_URL of ['memory:', 'sqlite:/x.db', 'postgres://db/oidc']) {
        const { storage, audit } = readConfig({ STORAGE_URL })
        expect(audit, STORAGE_URL).to.equal(storage)
      }
      const STORAGE_URL = 'redis://db'
      for (const [AUDIT_URL, kind, label] of [
        ['postgres://joe:pw@audit/oidc', 'postgres', 'postgres://audit'],
        ['sqlite:/x.db', 'sqlite', 'SQLite, /x.db'],
      ] as const) {
        expect(readConfig({ STORAGE_URL, AUDIT_URL }).audit).to.include({ kind, label })
      }
    })

    for (const AUDIT_URL of ['', 'redis://db', 'memory:', 'postgres://joe:pass@word@db/oidc']) {
      it(`is in no Redis: with AUDIT_URL=${AUDIT_URL} it does not start, and says what it needs`, () => {
        for (const STORAGE_URL of ['redis://db', 'rediss://db']) {
          expect(() => readConfig({ STORAGE_URL, AUDIT_URL }))
            .to.throw(StartError, /AUDIT_URL must be postgres:.* or sqlite:<file>/)
            .with.property('message')
            .that.does.not.match(/joe|pass@/)
        }
      })
    }

    it('is not in another storage than everything else, where that can keep it', () => {
      const AUDIT_URL = 'postgres://db/oidc'
      for (const STORAGE_URL of ['', 'memory:', AUDIT_URL]) {
        expect(() => readConfig({ STORAGE_URL, AUDIT_URL })).to.throw(StartError, 'AUDIT_URL')
      }
    })
  })
})
