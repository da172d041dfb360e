import { buildPeer, redissonVersions } from '../../dist/index.js'

/** Before any test, so that no test's time goes into Maven's downloads. */
export default async function buildPeers() {
  for (const version of Object.values(redissonVersions)) await buildPeer(version)
}
