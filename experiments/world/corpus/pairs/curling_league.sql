CREATE TABLE club ( club_id INTEGER PRIMARY KEY, ClubName TEXT, short_name TEXT, city TEXT, sheets INTEGER, founded_year INTEGER, joined_year INTEGER );
CREATE TABLE tblTeam ( team_id INTEGER PRIMARY KEY, club_id INTEGER REFERENCES club(club_id), TeamName TEXT, division TEXT, -- A, B, C
  skip_id INTEGER REFERENCES player(player_id), coach_name TEXT, formed_on TEXT, withdrawn_on TEXT );
CREATE TABLE player ( player_id INTEGER PRIMARY KEY, firstName TEXT, last_name TEXT, birth_date TEXT, registered_on TEXT, license_until TEXT, home_club INTEGER REFERENCES club(club_id) );
CREATE TABLE team_player ( team_id INTEGER REFERENCES tblTeam(team_id), player_id INTEGER REFERENCES player(player_id), role TEXT, -- lead, second, third, skip, alternate
  joined_on TEXT, left_on TEXT, PRIMARY KEY (team_id, player_id, joined_on) );
CREATE TABLE Season ( season_id INTEGER PRIMARY KEY, label TEXT, starts_on TEXT, ends_on TEXT );
CREATE TABLE game ( game_id INTEGER PRIMARY KEY, season_id INTEGER REFERENCES Season(season_id), host_club INTEGER REFERENCES club(club_id),
  home_team INTEGER REFERENCES tblTeam(team_id), away_team INTEGER REFERENCES tblTeam(team_id),
  scheduled_date TEXT, original_date TEXT, played_date TEXT, home_score INTEGER, away_score INTEGER, ends_planned INTEGER, ends_played INTEGER, gameStatus TEXT ); -- S scheduled, P played, F forfeited, C cancelled
CREATE TABLE end_score ( game_id INTEGER REFERENCES game(game_id), end_no INTEGER, scoring_team INTEGER REFERENCES tblTeam(team_id), hammer_team INTEGER REFERENCES tblTeam(team_id), points INTEGER, PRIMARY KEY (game_id, end_no) ); -- points 0: blank end
CREATE TABLE fee ( fee_id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES tblTeam(team_id), season_id INTEGER REFERENCES Season(season_id), amount_due REAL, amount_paid REAL, due_date TEXT, paid_date TEXT );
