import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const MATRIX = join(import.meta.dirname, '../scripts/matrix.ts')

describe('the packed plugin, on every supported Node.js', function () {
  this.timeout(1_200_000)

  it('works with the oldest and the newest oidc-provider', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [MATRIX])
    expect(stdout).to.match(/^ok {6}Node 22\.13\.0, oidc-provider /m)
    expect(stdout).not.to.include('FAILED')
  })
})
