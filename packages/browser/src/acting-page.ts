// What only a page with an impersonation loads: all that needs oauth4webapi.

export { startSession } from './acting.ts'
export { exchangeFailure, failure, signInFailure } from './failure.ts'
export { sayLeft } from './left.ts'
export { holdOnlyTab } from './only-tab.ts'
export { discoverProvider } from './provider.ts'
export { startStopwatch } from './stopwatch.ts'
