import { expect } from 'chai'
import { createLocalJWKSet } from 'jose'
import { verify } from '../../../verify/src/verify/verification.ts'
import { idOf } from '../ledger/stores/contract/support.ts'
import { END, history, ISSUER, linesOfExport, signer } from './history.ts'
import { storages } from './storages.ts'

describe('an export that was not touched, after retention with a hold', () => {
  for (const { name, create, test } of storages) {
    test(`of ${name} is whole`, async () => {
      const provider = await signer()
      const { store, dispose } = await create()
      try {
        await history(store, provider.sign)
        const lines = await linesOfExport(store, provider.sign)
        const keys = createLocalJWKSet({ keys: [provider.jwk] })
        const read = (of: readonly string[]) =>
          async function* () {
            for (const line of of) yield Buffer.from(`${line}\n`)
          }
        const [jws = ''] = await store.checkpoints(1)
        const kept = [{ jws, name: 'kept' }]
        expect(await verify({ read: read(lines), keys, kept })).to.deep.include({
          ...{ entries: 56, removed: 19, chains: 7, rows: 5, unprovedRows: 0, leftOut: 0 },
          ...{ repeatedEntries: 5, repetitions: 5, checkpoints: 5, unknown: 0 },
          ...{ issuer: ISSUER, time: END },
        })
        expect(lines.filter((line) => line.includes('support.held'))).to.have.length(1)
        const proof = await linesOfExport(store, provider.sign, END, idOf('d'))
        expect(await verify({ read: read(proof), keys, kept })).to.include({
          ...{ entries: 56, removed: 0, chains: 7, rows: 1, unprovedRows: 0, leftOut: 44 },
        })
      } finally {
        await dispose()
      }
    })
  }
})
