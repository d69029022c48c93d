import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { expectAnswer } from '../support/http.ts'
import { skip } from '../support/skipping.ts'
import {
  type Answer,
  type ProviderProcess,
  REFUSED,
  startProvider,
  succeeded,
} from './providers.ts'
import { FAULT_BOUND_MS, FAULT_TIMEOUT_MS } from './storage.ts'
import { onStores } from './stores.ts'

describe('I5: trouble with the file', function () {
  this.timeout(120_000)

  onStores(['sqlite'], (store) => {
    let provider: ProviderProcess
    let file: string
    beforeEach(async () => {
      file = store.spec().location
      provider = await startProvider({
        storage: { ...store.spec(), timeoutMs: FAULT_TIMEOUT_MS },
      })
    })
    afterEach(() => provider.stop())

    async function expectTrouble(answer: Promise<Answer>): Promise<void> {
      const started = Date.now()
      const { status, body } = await answer
      expect(Date.now() - started).to.be.below(FAULT_BOUND_MS)
      expect(status, body).to.equal(500)
      expect(JSON.parse(body)).to.have.property('error', 'server_error')
    }

    async function expectOnce(token: string): Promise<void> {
      expect(await provider.exchange(token)).to.satisfy(succeeded)
      expect(await provider.exchange(token)).to.deep.equal(REFUSED)
      await expectAnswer(provider.issue(), 201)
    }

    it('locked by another process beyond the busy time-out', async () => {
      const token = await provider.subjectToken()
      const other = new DatabaseSync(file, { timeout: 5000 })
      other.exec('BEGIN IMMEDIATE')
      await expectTrouble(provider.exchange(token))
      await expectTrouble(provider.issue())
      other.close()
      await expectOnce(token)
    })

    it('the disk is full', async function () {
      const token = await provider.subjectToken()
      // A limit on the file size has the same effect on SQLite as a full disk: a write fails.
      if (!limitFileSize('0')) skip(this, 'no command that limits the size of files')
      await expectTrouble(provider.exchange(token))
      await expectTrouble(provider.issue())
      limitFileSize('unlimited')
      await expectOnce(token)
    })

    it('its pages are overwritten by something else: no answer but 5xx', async () => {
      const token = await provider.subjectToken()
      using other = new DatabaseSync(file, { timeout: 5000 })
      // A page that is in the log is not read from the file. The provider may still write what it
      // does in the background, such as a lease.
      do {
        other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
        await new Promise((resolve) => setTimeout(resolve, 100))
      } while (statSync(`${file}-wal`).size > 0)
      other.exec('PRAGMA user_version = 1')
      const sound = readFileSync(file)
      writeFileSync(file, Buffer.alloc(sound.length, 'x'), { flag: 'r+' })
      await expectTrouble(provider.exchange(token))
      await expectTrouble(provider.issue())
      writeFileSync(file, sound, { flag: 'r+' })
    })

    function limitFileSize(limit: string): boolean {
      try {
        execFileSync('prlimit', [`--pid=${provider.child.pid}`, `--fsize=${limit}:`])
        return true
      } catch {
        return false
      }
    }
  })
})
