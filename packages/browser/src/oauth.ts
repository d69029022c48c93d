import * as oauth from 'oauth4webapi'

/**
 * Exported from one module, because each import of a namespace has a name of its own in the
 * bundle.
 */
export { oauth }
