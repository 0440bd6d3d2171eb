-- A queue as the fifth schema left it; `tests` reads it into SQLite.
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0005');
CREATE TABLE api_tokens (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	user_id VARCHAR(255) NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	description TEXT DEFAULT '' NOT NULL, 
	last_used_at VARCHAR(32), 
	created_at VARCHAR(32) NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	project VARCHAR(64), 
	expires_at VARCHAR(32), 
	revoked_at VARCHAR(32), 
	CONSTRAINT uq_api_tokens_token_hash UNIQUE (token_hash), 
	CONSTRAINT ck_api_tokens_role CHECK (role IN ('viewer', 'operator', 'admin')), 
	CONSTRAINT fk_api_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
INSERT INTO "api_tokens" VALUES(1,'local:alice','0000000000000000000000000000000000000000000000000000000000000000','',NULL,'2026-01-01T12:00:00.000000+00:00','operator',NULL,NULL,NULL);
CREATE TABLE audit_log (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	at VARCHAR(32) NOT NULL, 
	actor_kind VARCHAR(16) NOT NULL, 
	actor_name VARCHAR(255) NOT NULL, 
	action VARCHAR(64) NOT NULL, 
	subject TEXT NOT NULL, 
	project VARCHAR(64), 
	request_id VARCHAR(64), 
	detail TEXT DEFAULT '{}' NOT NULL
);
INSERT INTO "audit_log" VALUES(1,'2026-01-01T12:00:00.000000+00:00','local','alice','token.create','token:1',NULL,NULL,'{}');
CREATE TABLE files (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	type VARCHAR(16) NOT NULL, 
	s3_key TEXT NOT NULL, 
	size BIGINT NOT NULL, 
	content_type VARCHAR(128) NOT NULL, 
	checksum VARCHAR(64) NOT NULL, 
	metadata TEXT DEFAULT '{}' NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_files PRIMARY KEY (id), 
	CONSTRAINT ck_files_type CHECK (type IN ('source', 'output'))
);
INSERT INTO "files" VALUES(1,1,'output','outputs/a.zip',12,'application/zip','0000000000000000000000000000000000000000000000000000000000000000','{}','2025-09-23T12:00:00.000000+00:00');
CREATE TABLE job_attempts (
	job_id INTEGER NOT NULL, 
	lease_number BIGINT NOT NULL, 
	worker_id VARCHAR(255), 
	started_at VARCHAR(32), 
	ended_at VARCHAR(32) NOT NULL, 
	outcome VARCHAR(16) NOT NULL, 
	error_code VARCHAR(64), 
	error TEXT, 
	CONSTRAINT pk_job_attempts PRIMARY KEY (job_id, lease_number)
)
 WITHOUT ROWID

;
INSERT INTO "job_attempts" VALUES(1,1,'alice','2026-01-01T12:00:00.000000+00:00','2025-09-23T12:00:00.000000+00:00','completed',NULL,NULL);
INSERT INTO "job_attempts" VALUES(2,1,'alice','2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00','failed','timed_out','it took too long');
INSERT INTO "job_attempts" VALUES(3,1,'alice','2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00','released',NULL,NULL);
INSERT INTO "job_attempts" VALUES(3,2,'alice','2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00','completed',NULL,NULL);
CREATE TABLE job_events (
	job_id INTEGER NOT NULL, 
	rev BIGINT NOT NULL, 
	at VARCHAR(32) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	lease_number BIGINT NOT NULL, 
	worker_id VARCHAR(255), 
	detail TEXT, 
	CONSTRAINT pk_job_events PRIMARY KEY (job_id, rev)
)
 WITHOUT ROWID

;
INSERT INTO "job_events" VALUES(7,1,'2026-01-01T12:00:00.000000+00:00','cancelled',0,NULL,NULL);
CREATE TABLE jobs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project VARCHAR(64) NOT NULL, 
	type VARCHAR(64) NOT NULL, 
	source_hash VARCHAR(64) NOT NULL, 
	source_path TEXT, 
	source_size BIGINT, 
	status VARCHAR(16) NOT NULL, 
	priority SMALLINT DEFAULT 3 NOT NULL, 
	attempts INTEGER DEFAULT 0 NOT NULL, 
	max_attempts INTEGER DEFAULT 3 NOT NULL, 
	lease_number BIGINT DEFAULT 0 NOT NULL, 
	worker_id VARCHAR(255), 
	lease_expires_at VARCHAR(32), 
	available_at VARCHAR(32), 
	created_at VARCHAR(32) NOT NULL, 
	updated_at VARCHAR(32) NOT NULL, 
	started_at VARCHAR(32), 
	completed_at VARCHAR(32), 
	error_code VARCHAR(64), 
	last_error TEXT, 
	tags TEXT DEFAULT '[]' NOT NULL, 
	metadata TEXT DEFAULT '{}' NOT NULL, 
	result TEXT, 
	rev BIGINT DEFAULT 0 NOT NULL, 
	ready BOOLEAN NOT NULL, 
	due_at VARCHAR(32), 
	needs TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT uq_jobs_source_hash_type_project UNIQUE (source_hash, type, project), 
	CONSTRAINT ck_jobs_priority CHECK (priority BETWEEN 1 AND 5), 
	CONSTRAINT ck_jobs_status CHECK (status IN ('pending', 'running', 'completed', 'failed', 'dead', 'cancelled'))
);
INSERT INTO "jobs" VALUES(2,'default','pdf','3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d',NULL,NULL,'failed',3,1,3,1,NULL,NULL,'2026-01-01T12:00:10.000000+00:00','2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00',NULL,'timed_out','it took too long','[]','{}',NULL,2,0,'2026-01-01T12:00:10.000000+00:00','');
INSERT INTO "jobs" VALUES(3,'default','pdf','2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6',NULL,NULL,'completed',3,1,3,2,NULL,NULL,NULL,'2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00',NULL,NULL,'[]','{}','{}',4,0,NULL,'');
INSERT INTO "jobs" VALUES(4,'default','pdf','18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4',NULL,NULL,'running',3,1,3,1,'alice','2026-01-01T12:03:00.000000+00:00',NULL,'2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00',NULL,NULL,NULL,'[]','{}',NULL,1,0,'2026-01-01T12:03:00.000000+00:00','');
INSERT INTO "jobs" VALUES(5,'default','pdf','3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea',NULL,NULL,'pending',3,0,3,0,NULL,NULL,NULL,'2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00',NULL,NULL,NULL,NULL,'[]','{}',NULL,0,1,NULL,'');
INSERT INTO "jobs" VALUES(6,'default','pdf','252f10c83610ebca1a059c0bae8255eba2f95be4d1d7bcfa89d7248a82d9f111',NULL,NULL,'pending',3,0,3,0,NULL,NULL,NULL,'2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00',NULL,NULL,NULL,NULL,'[]','{}',NULL,0,1,NULL,'');
INSERT INTO "jobs" VALUES(7,'default','pdf','cd0aa9856147b6c5b4ff2b7dfee5da20aa38253099ef1b4a64aced233c9afe29',NULL,NULL,'cancelled',3,0,3,0,NULL,NULL,NULL,'2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00',NULL,NULL,NULL,NULL,'[]','{}',NULL,1,0,NULL,'');
INSERT INTO "jobs" VALUES(8,'other','echo','aaa9402664f1a41f40ebbc52c9993eb66aeb366602958fdfaa283b71e64db123',NULL,NULL,'pending',1,0,3,0,NULL,NULL,NULL,'2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00',NULL,NULL,NULL,NULL,'[]','{}',NULL,0,1,NULL,'');
CREATE TABLE jobs_archive (
	id INTEGER NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	type VARCHAR(64) NOT NULL, 
	source_hash VARCHAR(64) NOT NULL, 
	source_path TEXT, 
	source_size BIGINT, 
	status VARCHAR(16) NOT NULL, 
	priority SMALLINT DEFAULT 3 NOT NULL, 
	attempts INTEGER DEFAULT 0 NOT NULL, 
	max_attempts INTEGER DEFAULT 3 NOT NULL, 
	lease_number BIGINT DEFAULT 0 NOT NULL, 
	worker_id VARCHAR(255), 
	lease_expires_at VARCHAR(32), 
	available_at VARCHAR(32), 
	created_at VARCHAR(32) NOT NULL, 
	updated_at VARCHAR(32) NOT NULL, 
	started_at VARCHAR(32), 
	completed_at VARCHAR(32), 
	error_code VARCHAR(64), 
	last_error TEXT, 
	tags TEXT DEFAULT '[]' NOT NULL, 
	metadata TEXT DEFAULT '{}' NOT NULL, 
	result TEXT, 
	rev BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_jobs_archive PRIMARY KEY (id), 
	CONSTRAINT uq_jobs_archive_source_hash_type_project UNIQUE (source_hash, type, project)
);
INSERT INTO "jobs_archive" VALUES(1,'default','pdf','ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',NULL,NULL,'completed',3,1,3,1,NULL,NULL,NULL,'2026-01-01T12:00:00.000000+00:00','2025-09-23T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00','2025-09-23T12:00:00.000000+00:00',NULL,NULL,'[]','{}','{}',2);
CREATE TABLE queue_identity (
	singleton SMALLINT NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	store TEXT NOT NULL, 
	CONSTRAINT pk_queue_identity PRIMARY KEY (singleton), 
	CONSTRAINT ck_queue_identity_singleton CHECK (singleton = 1)
);
INSERT INTO "queue_identity" VALUES(1,'a1','file:///srv/blobs');
CREATE TABLE sessions (
	id VARCHAR(64) NOT NULL, 
	user_id VARCHAR(255) NOT NULL, 
	expires_at VARCHAR(32) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
CREATE TABLE users (
	id VARCHAR(255) NOT NULL, 
	email VARCHAR(255), 
	name TEXT, 
	picture TEXT, 
	groups TEXT DEFAULT '[]' NOT NULL, 
	is_admin SMALLINT DEFAULT 0 NOT NULL, 
	provider VARCHAR(255) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	updated_at VARCHAR(32) NOT NULL, 
	role VARCHAR(16) DEFAULT 'viewer' NOT NULL, 
	CONSTRAINT pk_users PRIMARY KEY (id), 
	CONSTRAINT uq_users_email UNIQUE (email), 
	CONSTRAINT ck_users_is_admin CHECK (is_admin IN (0, 1)), 
	CONSTRAINT ck_users_role CHECK (role IN ('viewer', 'operator', 'admin'))
);
INSERT INTO "users" VALUES('local:alice',NULL,NULL,NULL,'[]',1,'local','2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00','admin');
CREATE TABLE worker_accounts (
	name VARCHAR(64) NOT NULL, 
	project VARCHAR(64), 
	types TEXT DEFAULT '[]' NOT NULL, 
	secret_hash VARCHAR(64), 
	enabled BOOLEAN DEFAULT TRUE NOT NULL, 
	draining BOOLEAN DEFAULT FALSE NOT NULL, 
	"exclusive" BOOLEAN DEFAULT FALSE NOT NULL, 
	process VARCHAR(255), 
	created_at VARCHAR(32) NOT NULL, 
	updated_at VARCHAR(32) NOT NULL, 
	last_seen_at VARCHAR(32), 
	rev BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_worker_accounts PRIMARY KEY (name)
);
INSERT INTO "worker_accounts" VALUES('rack4',NULL,'[]',NULL,1,0,0,NULL,'2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00',NULL,0);
CREATE TABLE worker_records (
	name VARCHAR(255) NOT NULL, 
	record TEXT NOT NULL, 
	updated_at VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_worker_records PRIMARY KEY (name)
);
INSERT INTO "worker_records" VALUES('desk','{"since": null, "completed": 3, "failed": 0, "bytes_processed": 0, "seconds": 0.0, "recent": {}}','2026-01-01T12:00:00.000000+00:00');
CREATE TABLE workers (
	id VARCHAR(255) NOT NULL, 
	type VARCHAR(64) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	last_heartbeat VARCHAR(32), 
	current_job_id INTEGER, 
	metadata TEXT DEFAULT '{}' NOT NULL, 
	secret_hash VARCHAR(64), 
	enabled BOOLEAN DEFAULT TRUE NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	updated_at VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_workers PRIMARY KEY (id), 
	CONSTRAINT ck_workers_status CHECK (status IN ('online', 'offline', 'draining'))
);
INSERT INTO "workers" VALUES('alice','pdf','online','2026-01-01T12:00:00.000000+00:00',4,'{"slots":2}',NULL,1,'2026-01-01T12:00:00.000000+00:00','2026-01-01T12:00:00.000000+00:00');
CREATE INDEX ix_files_s3_key ON files (s3_key);
CREATE INDEX ix_files_job_id ON files (job_id);
CREATE INDEX ix_jobs_ready ON jobs (project, type, needs, priority, created_at, id) WHERE ready;
CREATE INDEX ix_jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_sessions_user_id ON sessions (user_id);
CREATE INDEX ix_sessions_expires_at ON sessions (expires_at);
CREATE INDEX ix_audit_log_at ON audit_log (at, id);
CREATE INDEX ix_audit_log_actor ON audit_log (actor_kind, actor_name, at, id);
CREATE INDEX ix_audit_log_subject ON audit_log (subject, at, id);
CREATE INDEX ix_audit_log_project ON audit_log (project, at, id);
CREATE INDEX ix_jobs_lane ON jobs (project, type, status, id);
CREATE INDEX ix_jobs_archive_project_type_id ON jobs_archive (project, type, id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('jobs',8);
INSERT INTO "sqlite_sequence" VALUES('api_tokens',1);
INSERT INTO "sqlite_sequence" VALUES('audit_log',1);
COMMIT;
