import { auditLog, type WrittenStore } from '../../../src/ledger/recording/log.ts'
import { type RecorderOptions, recorder } from '../../../src/ledger/recording/recorder.ts'
import { MARKS } from '../stores/contract/support.ts'

/** The recorder of a process that shares the keys of all tests. */
export const recorderOn = (
  store: WrittenStore,
  { pauses, ...options }: RecorderOptions & { pauses?: readonly [number] } = {},
) => recorder(auditLog(store, MARKS, pauses), options)
