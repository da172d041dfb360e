package holdfast.interop;

import java.util.List;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;

/**
 * Opens Redisson as its users do, only with fewer threads and connections, since several peers share a small machine;
 * with {@code roomy} also in that as they do.
 */
final class Clients {
  private static final int CONNECTIONS = 32;

  private Clients() {}

  /** One client for each of several independent masters, else one. */
  static List<RedissonClient> openAll(Request request) {
    if (!request.mode().equals("masters")) return List.of(open(request, request.addresses()));
    return request.addresses().stream().map(address -> open(request, List.of(address))).toList();
  }

  private static RedissonClient open(Request request, List<String> addresses) {
    Config config = new Config();
    if (request.watchdogTimeoutMs() != null) config.setLockWatchdogTimeout(request.watchdogTimeoutMs());
    if (request.roomy()) {
      config.useSingleServer().setAddress(addresses.get(0));
      return Redisson.create(config);
    }
    config.setThreads(2).setNettyThreads(2);
    if (request.mode().equals("cluster")) {
      config
          .useClusterServers()
          .addNodeAddress(addresses.toArray(String[]::new))
          .setReadMode(ReadMode.MASTER)
          .setMasterConnectionPoolSize(CONNECTIONS)
          .setMasterConnectionMinimumIdleSize(1)
          .setSubscriptionConnectionMinimumIdleSize(1);
    } else {
      config
          .useSingleServer()
          .setAddress(addresses.get(0))
          .setConnectionPoolSize(CONNECTIONS)
          .setConnectionMinimumIdleSize(1)
          .setSubscriptionConnectionMinimumIdleSize(1);
    }
    return Redisson.create(config);
  }
}
