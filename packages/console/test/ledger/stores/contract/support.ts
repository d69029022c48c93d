// The tests of the console have the same entries as the contract of its stores.
export * from '../../../../../testing/src/audit/support.ts'
