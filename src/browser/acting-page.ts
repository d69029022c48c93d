// What only a page with an impersonation loads: all that needs oauth4webapi.
export { startSession } from './acting.ts'
export { exchangeFailure, failure, signInFailure } from './failure.ts'
export { ImpersonationProvider } from './provider.ts'
export { startStopwatch } from './stopwatch.ts'
