package holdfast.interop;

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

  static RedissonClient open(Request request) {
    Config config = new Config();
    if (request.watchdogTimeoutMs() != null) config.setLockWatchdogTimeout(request.watchdogTimeoutMs());
    if (request.roomy()) {
      config.useSingleServer().setAddress(request.addresses().get(0));
      return Redisson.create(config);
    }
    config.setThreads(2).setNettyThreads(2);
    if (request.mode().equals("cluster")) {
      config
          .useClusterServers()
          .addNodeAddress(request.addresses().toArray(String[]::new))
          .setReadMode(ReadMode.MASTER)
          .setMasterConnectionPoolSize(CONNECTIONS)
          .setMasterConnectionMinimumIdleSize(1)
          .setSubscriptionConnectionMinimumIdleSize(1);
    } else {
      config
          .useSingleServer()
          .setAddress(request.addresses().get(0))
          .setConnectionPoolSize(CONNECTIONS)
          .setConnectionMinimumIdleSize(1)
          .setSubscriptionConnectionMinimumIdleSize(1);
    }
    return Redisson.create(config);
  }
}
