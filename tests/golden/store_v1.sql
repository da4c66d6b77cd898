BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'echidna_mcp','events_v1','2025-12-20 10:30:45.000000+00:00');
CREATE TABLE events(
  seq INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  round INTEGER NOT NULL,
  worker INTEGER,
  at TEXT NOT NULL,
  payload TEXT NOT NULL CHECK(json_valid(payload)),
  digest BLOB NOT NULL
) STRICT
;
INSERT INTO "events" VALUES(1,'CampaignStarted',1,0,NULL,'2025-12-20T10:30:45.000000Z','{"backend":"py-evm","config":{"seed":7,"workers":2},"engine":"0.1.0","executor":"inline","plugins":[{"distribution":"echidna-mcp","name":"py-evm","version":"0.1.0"}],"program":{"compiler":"solc 0.8.37","contracts":[{"abi":[],"appendedImmutables":0,"branches":[],"creationCode":"6000","creationMap":"","functions":[],"immutables":[],"name":"A","runtimeCode":"00","runtimeMap":"","source":"a.sol"}],"main":"a.sol:A","sources":[["a.sol","contract A { /* ü */ }\n"]]},"programDigest":"abababababababababababababababababababababababababababababababab","stateDigest":"0000000000000000000000000000000000000000000000000000000000000000"}',X'8B035A1E86B058BE4133919397F0AF91A61971477A3A092D10B18C8E1A35EF29');
INSERT INTO "events" VALUES(2,'WorkerStarted',1,0,0,'2025-12-20T10:30:45.000001Z','{}',X'10E6D6E6ED22E0AF1758D032A8B0700135C855C1C8FDAB5A1F71B767C70E49D8');
INSERT INTO "events" VALUES(3,'WorkerStarted',1,0,1,'2025-12-20T10:30:45.000002Z','{}',X'A3ADD7F53DAD42F9615EC88B97F6F7AB3757056A00F1CB0081A01FFE9BCD119E');
INSERT INTO "events" VALUES(4,'CommandAccepted',1,1,NULL,'2025-12-20T10:30:45.250000Z','{"args":{"functionSignature":"transfer(address,uint256)"},"message":"Prioritized function ''transfer(address,uint256)''","tool":"prioritize_function"}',X'9D4ED35CD7FF98CCAE4C31521D43A45BD16D9B8DCFC3F4CA769F34B210B09DD8');
INSERT INTO "events" VALUES(5,'CoverageIncreased',1,1,1,'2025-12-20T10:30:45.500000Z','{"added":3,"results":[["abababababababababababababababababababababababababababababababab",5,"STOPPED"]],"total":3,"visited":[["abababababababababababababababababababababababababababababababab",0,[0,2,5]]]}',X'4E85F3F00C607D2019561BD4EFA235003AC152AC8975C52CC28003F9D555067D');
INSERT INTO "events" VALUES(6,'DictionaryExtended',1,1,NULL,'2025-12-20T10:30:45.500001Z','{"words":["0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"]}',X'8EA459B1D46CCFCF9DBEF8B731E52BC03259C02C722A7BC195AC1ACD0038745A');
INSERT INTO "events" VALUES(7,'RoundCommitted',1,1,NULL,'2025-12-20T10:30:45.500002Z','{"calls":100,"largest":115792089237316195423570985008687907853269984665640564039457584007913129639935,"rate":0.5,"stateDigest":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"}',X'08604230250F0BA2536812778F12DA9E6D6AEB0A9304B558ED4E820C90E94266');
INSERT INTO "events" VALUES(8,'CampaignStopped',1,1,NULL,'2025-12-20T10:30:45.500003Z','{"reason":"limit"}',X'BCA81B61A8FBA2FC9051AA7C2B11F8F5FD141BE57FEAADE04B0FE9FB17C56803');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER events_dense BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
BEGIN SELECT RAISE(ABORT, 'an event must take the next seq'); END;
CREATE INDEX events_type ON events(type, seq);
COMMIT;
