import * as oauth from 'oauth4webapi'

/** From one module: each import of a namespace has a name of its own in the bundle. */
export { oauth }
