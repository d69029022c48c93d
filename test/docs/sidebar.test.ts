import { expect } from 'chai'
import { linkTo } from '../../scripts/site/sidebar.ts'

describe('the side bar of the site', () => {
  it('links to a page by its path, and to another site by its address', () => {
    const address = 'https://example.com/blob/main/packages/conformance/profile.md'
    expect(['ending.md', './ending.md', '/ending', address].map(linkTo)).to.deep.equal([
      ...['/ending', '/ending', '/ending'],
      address,
    ])
  })
})
