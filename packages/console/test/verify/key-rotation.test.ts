import { expect } from 'chai'
import type { JWK } from 'jose'
import type { Sign } from '../../src/ledger/sealing/seals.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { sealsOf } from '../ledger/sealing/seals-of.ts'
import { issued, put, started, used } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { signingKey } from '../support/provider-at.ts'
import { runVerify, startProvider } from './command.ts'
import { linesOfExport } from './history.ts'

describe('keys that are rotated as the guide says', () => {
  let at: Awaited<ReturnType<typeof startProvider>>
  let store: AuditStore
  let old: JWK
  let next: JWK

  beforeEach(async () => {
    at = await startProvider()
    ;[old, next] = [await signingKey('old'), await signingKey('new')]
    store = memoryAudit()
  })
  afterEach(async () => {
    await at.stop()
    await store.close()
  })

  /** The provider starts with these keys, records an impersonation, and seals it. */
  async function restart(name: string, ...keys: JWK[]) {
    const sign = await at.restart(keys)
    const time = Date.now()
    await put(store, issued(name, time), started(name, time), used(name, time))
    await sealsOf(store, { sign }).seal()
    return sign
  }

  const exportFile = async (name: string, sign: Sign) =>
    at.exportFile(name, await linesOfExport(store, { sign, now: Date.now() }))

  it('prove the same audit after each of the three restarts', async () => {
    const live = ['--jwks', at.jwks]

    async function expectWhole(name: string, sign: Sign, ...sources: string[]) {
      const path = await exportFile(`${name}.jsonl`, sign)
      const { code, out, err } = await runVerify(path, ...sources)
      expect(err, name).to.equal('')
      expect(code, name).to.equal(0)
      expect(out, name).to.contain(': whole.').and.not.to.contain('key set does not have')
    }

    await expectWhole('before', await restart('a', old), ...live)
    await expectWhole('1 publish', await restart('b', old, next), ...live)
    const signing = await restart('c', next, old)
    await expectWhole('2 sign', signing, ...live)
    // The key that goes on is published now and stands in the file as well.
    const kept = await at.file('jwks.json', await at.publishedKeys())
    await expectWhole('2 sign, with the file', signing, ...live, '--jwks', kept)
    const removed = await restart('d', next)
    await expectWhole('3 remove', removed, ...live, '--jwks', kept)
    await expectWhole('3 remove, the file twice', removed, '--jwks', kept, '--jwks', kept, ...live)
  })

  it('that have one kid are all tried', async () => {
    const sign = await restart('a', old)
    const path = await exportFile('a.jsonl', sign)
    const name = await at.file('old.json', await at.publishedKeys())
    const clash = async (label: string) => {
      const other = { ...(await signingKey('old')), d: undefined }
      return at.file(label, JSON.stringify({ keys: [other] }))
    }
    const [one, two] = [await clash('one.json'), await clash('two.json')]
    for (const sources of [
      [name, one],
      [one, name, name, two],
    ]) {
      const { code, out, err } = await runVerify(
        path,
        ...sources.flatMap((each) => ['--jwks', each]),
      )
      expect({ code, err }).to.deep.equal({ code: 0, err: '' })
      expect(out).to.contain(': whole.')
    }
    const { code, err } = await runVerify(path, '--jwks', one, '--jwks', two)
    expect(code).to.equal(1)
    expect(err).to.contain('the seal is not valid: signature verification failed')
  })
})
