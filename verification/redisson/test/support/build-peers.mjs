import { buildPeer, redissonVersions } from '../../dist/index.js'

/** Builds before all tests, so that Maven's downloads do not count against the timeout of a test. */
export default async function buildPeers() {
  for (const version of Object.values(redissonVersions)) await buildPeer(version)
}
