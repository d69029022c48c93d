// Another process of a deployment: on the same storage, with the same key, at a port of its own.
import { openStorage } from '../../../../test/proofs/storage.ts'
import { serve } from './deployment.ts'

const { spec, base, key } = JSON.parse(process.argv[2] ?? '')
const { adapter } = await openStorage(spec)
const { origin } = await serve({ adapter, of: { base, key } })
process.send?.({ origin })
process.on('message', () => {})
process.once('disconnect', () => process.exit())
